/** Takes the token of a one-time link from the address. */

let taken: string | undefined;

/**
 * Returns the token behind `#link=`, and removes it from the address and the history. A fragment never reaches a
 * server, so the token is in no log.
 */
export function takeLink(): string | undefined {
  const token = new URLSearchParams(location.hash.replace(/^#\/?/, '')).get('link');
  if (!token || token === taken) return undefined;
  taken = token;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
