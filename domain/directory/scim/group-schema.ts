/** Describes the SCIM attributes of groups. */
import { complex, reference, type ScimAttribute, text } from './attribute.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** The attributes of RFC 7643, section 4.2. Members are users; nested groups are ignored. */
export const GROUP_ATTRIBUTES: readonly ScimAttribute[] = [
  text('displayName', 'The name of the group.', { required: true }),
  complex(
    'members',
    'The members of the group.',
    [
      text('value', 'The id of the user.', { caseExact: true, mutability: 'immutable' }),
      reference('$ref', 'The URI of the user.', ['User'], { mutability: 'immutable' }),
      text('type', 'Always `User`.', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
    { multiValued: true },
  ),
];
