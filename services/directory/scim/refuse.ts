/** Gives the services of the SCIM server the function that returns the error for a rejected request. */

export { refuse } from '../../../domain/directory/scim/refuse.ts';
