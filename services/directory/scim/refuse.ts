export { refuse } from '../../../domain/directory/scim/refuse.ts';
