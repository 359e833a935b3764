/** The limit when the system states none, or when Node does not report it. */
const UNKNOWN_LIMIT = 65_536;

let known: number | undefined;

/** Returns how many files and sockets this process may have open: the soft limit of its descriptors at its start. */
export function descriptorLimit(): number {
  known ??= readLimit();
  return known;
}

function readLimit(): number {
  // Otherwise the report would look up a name for the address of each connection.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : UNKNOWN_LIMIT;
}
