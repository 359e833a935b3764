/** The longest host name of DNS, in characters, without the trailing dot. */
const MAX_HOST_NAME_LENGTH = 253;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Matches names whose last label is a number. URLs read them as IPv4 addresses: `10`, `0x7f`, `127.1`. */
const ENDS_IN_A_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;

/**
 * Returns an exact DNS name in lower case, without the trailing dot. Returns undefined for other text, such as IP
 * addresses, wildcards, Unicode, and names with a scheme, a port or a path.
 */
export function parseHostName(text: string): string | undefined {
  if (text.length > MAX_HOST_NAME_LENGTH + 1) return undefined;
  const name = toLowerAscii(text).replace(/\.$/, '');
  const isName = name.length <= MAX_HOST_NAME_LENGTH && NAME.test(name) && !ENDS_IN_A_NUMBER.test(name);
  return isName ? name : undefined;
}

/** Converts ASCII letters to lower case. Other letters stay: the Kelvin sign would become a plain `k`. */
function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
