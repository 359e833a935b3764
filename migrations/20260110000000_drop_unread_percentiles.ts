/** Percentiles are read by the statement itself, which is faster. */
export { down as up, up as down } from './20260108002100_read_percentiles.ts';
