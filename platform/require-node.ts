/** Ends the process with one line if its Node is too old. A main file imports this first, before anything can fail. */
const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  process.stderr.write(
    `Sluice needs Node ${NEEDED} or later; this is ${process.version} (${process.execPath})\n`,
  );
  process.exit(1);
}
