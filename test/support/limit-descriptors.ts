/**
 * Returns a command that runs with a lower limit of open files. Node raises its soft limit to the hard one, so a shell
 * lowers both before it becomes the command.
 */
export function limitDescriptors(command: string[], descriptors: number): string[] {
  return ['sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, ...command];
}
