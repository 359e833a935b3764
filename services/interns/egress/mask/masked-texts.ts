/** Lists all spellings in which a host's answer might repeat a secret. */
import type { SecretScope } from '../../../../domain/interns/effective-secrets.ts';
import { spellingsOf } from '../../../../platform/secret-spellings.ts';
import { basicToken, type Placeholder } from '../placeholders.ts';
import type { ScopedText } from './mask-layers.ts';

/** A secret with its value. */
export interface OpenSecret {
  name: string;
  value: string;
  scope: SecretScope;
}

/** Returns the forms in which a host may repeat the values. None of them may reach the intern. */
export function textsOfValues(secrets: readonly OpenSecret[]): ScopedText[] {
  return secrets.flatMap(({ name, value, scope }) =>
    toTexts(allSpellings(value, withoutBlanks(value)), `{{secret:${name}}}`, scope),
  );
}

/** Matches texts that the name of a header can contain (RFC 9110, section 5.6.2). */
const IN_NAMES = /^[!#$%&'*+\-.^`|~\w]+$/;

/** Returns the texts that the name of a header can contain, in lower case like the names. */
export function textsInNames(texts: readonly ScopedText[]): string[] {
  const names = texts.map(({ text }) => text.toString('latin1')).filter((text) => IN_NAMES.test(text));
  return [...new Set(names.map((name) => name.toLowerCase()))];
}

/** Returns the texts of the Basic credentials that a request forms from the values. */
export function textsOfCredentials(
  placeholders: readonly Placeholder[],
  used: readonly OpenSecret[],
): ScopedText[] {
  const secrets = new Map(used.map((secret) => [secret.name, secret]));
  return placeholders.flatMap(({ user, name }) => {
    const secret = secrets.get(name);
    if (user === undefined || secret === undefined) return [];
    const token = basicToken(user, secret.value);
    return toTexts(allSpellings(token, token.replace(/=+$/, '')), `{{basic:${user}:${name}}}`, secret.scope);
  });
}

/** Returns the value without blanks at its ends, which servers remove from headers. */
function withoutBlanks(value: string): string {
  return value.replaceAll(/^[\t ]+|[\t ]+$/g, '');
}

function allSpellings(...forms: string[]): string[] {
  return [...new Set(forms.flatMap((form) => spellingsOf(form)))];
}

function toTexts(spellings: readonly string[], placeholder: string, scope: SecretScope): ScopedText[] {
  const shown = Buffer.from(placeholder);
  return spellings.map((text) => ({ text: Buffer.from(text), placeholder: shown, scope }));
}
