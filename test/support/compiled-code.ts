const folder = process.env['NODE_COMPILE_CACHE'];

/** Lets a process that has an environment of its own load code that was compiled before, which halves its start. */
export const compiledCode: Record<string, string> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
