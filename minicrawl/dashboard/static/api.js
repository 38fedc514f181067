// Asking the server. The token is behind the # of the address, which a browser sends to nobody; it is kept for this tab.

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
  let answer;
  try {
    answer = await fetch(path, {...options, headers, credentials: "omit", redirect: "error"});
  } catch {
    throw new Failure(0, "The dashboard does not answer. It may have been ended; the crawl goes on without it.");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Failure(answer.status, said.failed ?? `the dashboard answered ${answer.status}`);
  return said;
}

export function get(path, query = {}) {
  const text = new URLSearchParams(query).toString();
  return asked(text ? `${path}?${text}` : path, {signal: AbortSignal.timeout(60000)});
}

export function post(path, body) {
  return asked(path, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
}
