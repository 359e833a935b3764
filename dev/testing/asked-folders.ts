/** Returns whether the arguments for Jest ask for this folder of `parent`. Without a folder among them, all are asked for. */
export function isAsked(parent: string, folder: string, asked: readonly string[]): boolean {
  const folders = asked.filter((argument) => argument.startsWith(`${parent}/`));
  return folders.length === 0 || folders.some((argument) => argument.startsWith(`${parent}/${folder}`));
}
