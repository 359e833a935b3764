/** The longest name of a secret, in characters. */
export const MAX_SECRET_NAME_LENGTH = 255;

/** Lower-case letters, digits and single underscores; begins with a letter and does not end with an underscore. */
export const SECRET_NAME_PATTERN = /^[a-z](?:_?[a-z0-9])*$/;

/** Returns whether the text can name a secret. */
export function isSecretName(text: string): boolean {
  return text.length <= MAX_SECRET_NAME_LENGTH && SECRET_NAME_PATTERN.test(text);
}
