/** A value that a span's attribute may have in OpenTelemetry. */
export type AttributeValue = string | number | boolean | string[];

export type Attributes = { [name: string]: AttributeValue };

/**
 * Adds an attribute if it has a value. Receivers refuse a whole batch for one value that they cannot read. Numbers that
 * no 64-bit integer or double holds exactly therefore become texts, and lone surrogates are replaced.
 */
export function putAttribute(attributes: Attributes, name: string, value: AttributeValue | undefined): void {
  if (value === undefined || value === '') return;
  if (typeof value === 'number') attributes[name] = isOutOfRange(value) ? String(value) : value;
  else if (typeof value === 'string') attributes[name] = value.toWellFormed();
  else if (typeof value === 'boolean') attributes[name] = value;
  else if (value.length > 0) attributes[name] = value.map((text) => text.toWellFormed());
}

/** Returns the attributes of a draft that have a value, by the rules of `putAttribute`. */
export function presentAttributes(draft: { [name: string]: AttributeValue | undefined }): Attributes {
  const attributes: Attributes = {};
  for (const name in draft) putAttribute(attributes, name, draft[name]);
  return attributes;
}

function isOutOfRange(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}
