/** Runs the admin command line, and prints what the command says. */
import { printCommand } from './run-command.ts';

await printCommand(process.argv.slice(2));
