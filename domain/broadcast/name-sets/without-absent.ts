/** Removes the keys whose value is undefined. */
export function withoutAbsent<Value>(fields: { [name: string]: Value | undefined }): {
  [name: string]: Value;
} {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Value & {}] => entry[1] !== undefined),
  );
}
