// Requests to the server. The token is behind the # of the address, which browsers never send; it is stored for this tab.

const KEY = "minicrawl.token";
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", "/");
}

export class Failure extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function asked(path, options = {}) {
  const headers = {Authorization: `Bearer ${sessionStorage.getItem(KEY) ?? ""}`, ...options.headers};
  let [answer, said] = [null, {}];
  try {
    answer = await fetch(path, {...options, headers, credentials: "omit", redirect: "error"});
    said = await answer.json();
  } catch {
    if (!answer || answer.ok) throw new Failure(0, "The dashboard does not answer. Perhaps it has ended; the crawl continues without it.");
  }
  if (!answer.ok) throw new Failure(answer.status, said.failed ?? `the dashboard answered ${answer.status}`);
  return said;
}

const questions = new Map();

// A new request for the same path cancels the older one, whose answer might come later and be shown in its place.
export function get(path, query = {}) {
  questions.get(path)?.abort();
  const question = new AbortController();
  questions.set(path, question);
  const text = new URLSearchParams(query).toString();
  const signal = AbortSignal.any([question.signal, AbortSignal.timeout(60000)]);
  return asked(text ? `${path}?${text}` : path, {signal});
}

export function post(path, body) {
  return asked(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
}
