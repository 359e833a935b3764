const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Returns the id of a member as it is stored. Sluice's ids are UUIDs, which are case-insensitive. */
export function memberValue(text: string): string {
  return isUuid(text) ? text.toLowerCase() : text;
}
