import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './eventually.ts';

/**
 * Reads every file below a folder of objects. The gateway goes on writing meanwhile, and moves a file to its
 * place once it is whole, so a listing that has lost one of its files is made again.
 */
export function storedObjects(folder: string): Promise<{ name: string; text: string }[]> {
  return eventually('a listing of objects that holds while it is read', async () => {
    try {
      return await readAll(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  });
}

async function readAll(folder: string): Promise<{ name: string; text: string }[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    files
      .filter((file) => file.isFile())
      .map(async ({ name, parentPath }) => ({
        name,
        text: await readFile(path.join(parentPath, name), 'latin1'),
      })),
  );
}
