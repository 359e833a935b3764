/** Returns the path of an operation of a model on Bedrock. The id of a model may be an ARN, with slashes and colons. */
export function modelPath(model: string, operation: string): string {
  return `model/${encodeURIComponent(model)}/${operation}`;
}
