/** Lists the forms in which another server may repeat a secret that it was sent. */
import { LRUCache } from 'lru-cache';

/**
 * The shortest secret that is also searched in other cases, in base64 and in hex. Short ones would match common words.
 */
const MIN_ENCODED_CHARACTERS = 8;

/** The forms of the secrets that were searched lately, so that a server's many errors do not compute them each time. */
const known = new LRUCache<string, readonly string[]>({
  maxSize: 1024 ** 2,
  sizeCalculation: (spellings) => spellings.reduce((sum, { length }) => sum + length, 1),
  ttl: 60_000,
  ttlAutopurge: true,
});

/**
 * Returns the texts that contain a secret, the longest first. They are the secret as it is, in upper and lower case, in
 * base64 at each offset, and in hex, each also as in a JSON string, and the secret as escaped for a URL and for HTML.
 */
export function spellingsOf(secret: string): readonly string[] {
  const listed = known.get(secret);
  if (listed !== undefined) return listed;
  const spellings = listSpellings(secret);
  known.set(secret, spellings);
  return spellings;
}

function listSpellings(secret: string): string[] {
  if (secret === '') return [];
  const forms = [secret];
  if (secret.length >= MIN_ENCODED_CHARACTERS) {
    const bytes = Buffer.from(secret);
    const hex = bytes.toString('hex');
    forms.push(secret.toUpperCase(), secret.toLowerCase(), ...base64Of(bytes), hex, hex.toUpperCase());
  }
  const spellings = new Set(forms.flatMap((form) => (IN_JSON.test(form) ? inJsonToo(form) : [form])));
  if (IN_URL.test(secret)) for (const form of inUrl(secret)) spellings.add(form);
  if (IN_HTML.test(secret)) for (const form of inHtml(secret)) spellings.add(form);
  return [...spellings].toSorted((a, b) => b.length - a.length);
}

/** Match texts with a character that a JSON string, a URL or HTML may escape. Most secrets have none. */
const IN_JSON = /[^\w.:;,!?@#$%()*=[\]{}|~^ -]/;
const IN_URL = /[^\w.-]/;
const IN_HTML = /[&<>"'+=`/\\]/;

/**
 * Returns the base64 of bytes that begin at each of the three offsets of a group. The characters at the ends that also
 * depend on neighbouring bytes are left out.
 */
function base64Of(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), secret]);
    const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return [bytes.toString('base64').slice(start, end), bytes.toString('base64url').slice(start, end)];
  });
}

/** Returns the percent-encodings of a text: as of JavaScript, of RFC 3986, of forms, and with slashes kept. */
function inUrl(text: string): string[] {
  // Lone surrogates cannot be encoded.
  const common = encodeURIComponent(text.toWellFormed());
  const strict = common.replaceAll(/[!'()*]/g, percentOf);
  const plus = strict.replaceAll('%20', '+');
  const form = plus.replaceAll('%2A', '*').replaceAll('~', '%7E');
  const paths = [common, strict].map((encoded) => encoded.replaceAll('%2F', '/'));
  return [common, strict, plus, form, ...paths].flatMap((encoded) => [
    encoded,
    encoded.replaceAll(/%../g, (code) => code.toLowerCase()),
  ]);
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The entities that escapers of HTML use besides those for `&`, `<` and `>`. */
const HTML_ENTITIES: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#039;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
  // Go, .NET, Handlebars, Mustache and validator.js, in this order.
  { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { '"': '&quot;', "'": '&#x27;', '+': '&#x2B;', '`': '&#x60;' },
  { '"': '&quot;', "'": '&#x27;', '=': '&#x3D;', '`': '&#x60;' },
  { '"': '&quot;', "'": '&#39;', '=': '&#x3D;', '`': '&#x60;', '/': '&#x2F;' },
  { '"': '&quot;', "'": '&#x27;', '\\': '&#x5C;', '`': '&#96;', '/': '&#x2F;' },
];

function inHtml(text: string): string[] {
  return HTML_ENTITIES.map((entities) =>
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(/["'+=`/\\]/g, (character) => entities[character] ?? character),
  );
}

/** Returns the text, and the text as servers commonly write it inside a JSON string. */
function inJsonToo(text: string): string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  return [
    text,
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    inJson.replaceAll(/[<>&]/g, (character) => escapedForHtml(character)),
    inJson.replaceAll(/\\"|["&'+<>`]/g, (character) => escapedByDotNet(character)),
  ];
}

/** Escapes a character like .NET's JSON encoder, which also writes quotes, `+` and backticks as escapes. */
function escapedByDotNet(character: string): string {
  return (
    String.raw`\u00` +
    character
      .charCodeAt(character.length - 1)
      .toString(16)
      .toUpperCase()
  );
}

/** Escapes a character like Go's JSON encoder and some Python frameworks. */
function escapedForHtml(character: string): string {
  return String.raw`\u00` + character.charCodeAt(0).toString(16);
}
