/** Returns the path that names a key in the audit log. Keys of interns are managed below their interns. */
export function keyTarget(hash: string, internId?: string): string {
  return internId === undefined ? `keys/${hash}` : `interns/${internId}/keys/${hash}`;
}
