/** The personal settings. */
export const personal = {
  'personal.account': 'Account',
  'personal.account.text': 'You are logged in as {name}. Change your name and password there.',
  'personal.edit': 'Edit personal info',

  'personal.invite': 'Invitations',
  'personal.invite.text': 'Whoever registers by your link is noted as invited by you.',
  'personal.invite.link': 'Invitation link',
  'personal.invite.copy': 'Copy invite link',
  'personal.invite.copied': 'invite link copied',

  'personal.delete': 'Delete account',
  'personal.delete.text': 'Your tokens stop working at once, and what is left of your balance is lost.',
  'personal.delete.root': 'The root account cannot be deleted.',
  'personal.delete.title': 'Delete the account {name}?',
  'personal.delete.warning': 'This cannot be undone. Your tokens stop working at once, and what is left of your balance is lost.',
  'personal.delete.label': 'Type your username {name} to confirm',
  'personal.delete.mismatch': 'please enter your account name to confirm deletion',
  'personal.deleted': 'account deleted',
} as const
