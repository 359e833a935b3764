/**
 * Returns whether the arguments for Jest include this folder of `parent`. Arguments without any folder of `parent`
 * include all.
 */
export function includesFolder(parent: string, folder: string, jestArguments: readonly string[]): boolean {
  const folders = jestArguments.filter((argument) => argument.startsWith(`${parent}/`));
  return folders.length === 0 || folders.some((argument) => argument.startsWith(`${parent}/${folder}`));
}
