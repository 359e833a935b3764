/** A date or a count of days or builds, the word `latest`, a tag or a version. Not a size or an edition: those are other models. */
const SUFFIX = /^(?:-\d{4}-\d{2}-\d{2}|-\d{3,8}|-latest|[:@][\w.-]+)$/;

/**
 * Returns whether an upstream that was asked for a model says that it has used this model. It may leave out the path in
 * front of the name, and add which version of the model it is.
 */
export function namesSameModel(asked: string, answered: string): boolean {
  const names = [asked, asked.slice(asked.lastIndexOf('/') + 1)];
  return names.some(
    (name) =>
      name !== '' &&
      answered.startsWith(name) &&
      (answered === name || SUFFIX.test(answered.slice(name.length))),
  );
}
