/** Runs the admin command line, and prints what the command says. */
import '../platform/require-node.ts';
import { printCommand } from './run-command.ts';

await printCommand(process.argv.slice(2), process.env);
