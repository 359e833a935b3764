/**
 * Matches a date, a day or build number, `latest`, a tag or a version. Sizes and editions do not match: they are other
 * models.
 */
const SUFFIX = /^(?:-\d{4}-\d{2}-\d{2}|-\d{3,8}|-latest|[:@][\w.-]+)$/;

/**
 * Returns whether the model that an upstream reports is the requested one. The reported name may lack the path in
 * front, and may add a version. Vertex AI separates versions by `@`, and models answer with a hyphen.
 */
export function namesSameModel(requested: string, reported: string): boolean {
  const hyphenated = requested.replace(/@default$/, '').replace('@', '-');
  const names = [requested, hyphenated, requested.slice(requested.lastIndexOf('/') + 1)];
  return names.some(
    (name) =>
      name !== '' &&
      reported.startsWith(name) &&
      (reported === name || SUFFIX.test(reported.slice(name.length))),
  );
}
