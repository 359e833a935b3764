'use strict';
/**
 * Ends a command of production with one line if its Node is too old to run the sources. An older Node (14 and up) runs
 * this file, so it uses nothing newer and no package.
 */
const needed = parseInt(require('../package.json').engines.node, 10);

if (parseInt(process.versions.node, 10) < needed) {
  process.stderr.write(
    `Sluice needs Node ${needed} or later; this is ${process.version} (${process.execPath})\n`,
  );
  process.exit(1);
}
