/**
 * Appends a tool's path to the address that its owner configured. Owners paste `…/otlp`, `…/v1` or the whole
 * `…/v1/traces`, so segments at the end of the address are not repeated. A doubled path would lose data without an
 * error.
 */
export function joinUrl(base: string, path: string): string {
  const url = URL.parse(base);
  // The outbound guard refuses the text and gives the reason.
  if (url === null) return base;
  const present = url.pathname.split('/').filter((segment) => segment !== '');
  const wanted = path.split('/').filter((segment) => segment !== '');
  let shared = Math.min(present.length, wanted.length);
  while (shared > 0 && !endsWith(present, wanted.slice(0, shared))) shared -= 1;
  const joined = [...present, ...wanted.slice(shared)].join('/');
  url.pathname = joined !== '' && path.endsWith('/') ? `/${joined}/` : `/${joined}`;
  return url.href;
}

function endsWith(segments: readonly string[], end: readonly string[]): boolean {
  return segments.slice(segments.length - end.length).join('/') === end.join('/');
}
