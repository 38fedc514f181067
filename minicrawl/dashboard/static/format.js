// Numbers, sizes and times, as people read them.

// True if the crawl runs, by the last look.
export function isOn(now) {
  return now.crawl === "running" || now.crawl === "busy";
}

// True for a look at the store of a watched list.
export function isWatched(now) {
  return typeof now.watched === "number";
}

// True for a page that is not there: the links to it are to be mended.
export function isLost({state}) {
  return ["error", "gone"].includes(state);
}

const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});

export function count(number) {
  return whole.format(number ?? 0);
}

export function counted(number, what) {
  return `${count(number)} ${what}${number === 1 ? "" : "s"}`;
}

export function amount(bytes) {
  for (const unit of ["B", "kB", "MB", "GB", "TB"]) {
    if (bytes < 1000 || unit === "TB") return `${unit === "B" ? Math.round(bytes) : bytes.toFixed(1).replace(".0", "")} ${unit}`;
    bytes /= 1000;
  }
}

// 3723 -> "1:02:03", 75 -> "1:15", 2.5 -> "2.5 s"
export function duration(seconds) {
  if (seconds < 60) return `${(seconds ?? 0).toFixed(1)} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  const [hours, left] = [Math.floor(minutes / 60), minutes % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(left)}:${two(rest)}` : `${left}:${two(rest)}`;
}

// How long an answer took: 0.0123 -> "12.3 ms"
export function took(seconds) {
  return seconds < 1 ? `${small(1000 * seconds)} ms` : `${small(seconds)} s`;
}

// A rough time.
export function about(seconds) {
  if (seconds < 60) return `about ${Math.round(seconds)} s`;
  if (seconds < 3600) return `about ${Math.round(seconds / 60)} min`;
  return seconds < 172800 ? `about ${(seconds / 3600).toFixed(1)} h` : `about ${Math.round(seconds / 86400)} days`;
}

export function clock(unix) {
  return new Date(unix * 1000).toLocaleTimeString("en-GB");
}

export function day(unix) {
  return unix ? new Date(unix * 1000).toISOString().slice(0, 19).replace("T", " ") + " UTC" : "";
}

export function percent(share, digits = 1) {
  return `${(100 * (share ?? 0)).toFixed(digits)} %`;
}

// A coverage in words, its bounds rounded outwards as in the terminal: the figure, and what it is of.
export function held(now) {
  const part = (number, rounded) => (number >= 1 ? rounded(number) : rounded(10 * number) / 10);
  const [least, most] = [part(100 * now.coverage + 1e-9, Math.floor), part(100 * now.coverage_shown - 1e-9, Math.ceil)];
  if (least === most) return [`${most} %`, "of the importance"];
  return [`about ${part(100 * now.coverage_about + 1e-9, Math.floor)} %`, `of the importance (between ${least} and ${most} %)`];
}

// A share of all importance, in three significant digits: 0.0312 -> "3.12 %".
export function weight(share) {
  return share === null || share === undefined ? "" : `${small(100 * share)} %`;
}

export function rate(number) {
  return number >= 100 ? count(number) : (number ?? 0).toFixed(1);
}

// Three significant digits.
export function small(number) {
  if (number === null || number === undefined) return "";
  return number !== 0 && Math.abs(number) < 0.001 ? number.toExponential(2) : String(Number(number.toPrecision(3)));
}

// Replaces characters that could change the text's direction, or are no characters, by U+FFFD; joiners stay. Of more than
// four combining marks in a row, which would cover other lines, four stay.
export function printable(text) {
  return (text ?? "").replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\u2028\u2029]/gu, "\ufffd").replace(/(\p{M}{4})\p{M}+/gu, "$1");
}
