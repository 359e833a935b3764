/** Reads chosen pictures as data: URLs, which requests carry. */

export async function readPictures(files: FileList | null): Promise<string[]> {
  return Promise.all([...(files ?? [])].map(readPicture));
}

function readPicture(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result as string);
  reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
  reader.readAsDataURL(file);
  return promise;
}
