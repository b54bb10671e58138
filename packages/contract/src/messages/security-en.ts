/** How accounts are protected: second factors, passkeys, sessions and access tokens. In English. */
export const securityEn = {
  host_unknown:
    'This server does not answer at the host name "{host}". Open it at its configured address, or add the name to the environment variable ALLOWED_HOSTS',
  default_password_refused:
    'This account still has the default password, which is not accepted here. Set a new one on the server: admin reset-password {username}',
  log_default_password: 'The account {username} still has the default password 123456. Change it now.',
  log_default_password_refused:
    'The account {username} still has the default password 123456, which is no longer accepted. Set a new one: {admin} reset-password {username}',
  log_setup_pending:
    'The root account has no password yet. Open the set-up link to set one; it is in {file} of the server that has made it. A new one: {admin} setup-link',
  log_any_host:
    'The management API answers at every host name. Set ServerAddress in the settings, or ALLOWED_HOSTS, to the names that are used',
  scope_missing: 'This access token lacks the scope {scope}',
  reauthentication_with_factor_required:
    'Please log in again and repeat this within 10 minutes. With a second step the password alone is not enough',
  two_factor_login_required:
    'The password is right, but this account has a second step that this client does not know. Log in with the console of this server, or use an access token',
  two_factor_login_expired: 'This login has expired or was tried too often, please begin again',
  second_factor_required: 'Administrators of this server need a second factor. Set one up in the personal settings first',
  second_factor_missing: 'Set up an authenticator app or a passkey first',
  authenticator_already_set_up: 'An authenticator app is set up already. Remove it first',
  second_factor_unreadable:
    'Codes cannot be checked because the secret of the authenticator app cannot be read with this master key. Log in with a passkey, or ask an administrator to remove your second factor.',
  authenticator_setup_not_started: 'Please begin again to set up the authenticator app',
  passkey_rejected: 'The passkey was not accepted, please try again',
  passkey_unknown: 'This server does not know this passkey',
  passkey_unverified: 'The passkey did not check who you are. Log in by password, and use it as second step',
  passkey_already_registered: 'This passkey belongs to an account already',
  passkey_counter: 'This passkey may have been copied, so it was not accepted. Log in in another way and remove it',
  passkey_host: 'Passkeys cannot be used at this address. Open the console by its host name, with https',
  passkeys_too_many: 'An account can have {max} passkeys at most',
  access_tokens_too_many: 'An account can have {max} personal access tokens at most',
  tokens_too_many: 'An account can have {max} tokens at most. Delete tokens that are not used',
  username_invalid: 'This username is not allowed. Choose another',
  password_common: 'This password is among the most common ones and easily guessed. Choose another',
  no_such_session: 'There is no such session',
  no_such_passkey: 'There is no such passkey',
  no_such_access_token: 'There is no such personal access token',
  log_second_step_failed: 'failed second step of a login from {address}',
  log_second_factor_on: '{actor} turned on the second step of logins',
  log_second_factor_off: '{actor} turned off the second step of logins of {user}',
  log_second_factor_cleared: '{actor} removed every second factor and passkey of {user}',
  log_app_added: '{actor} set up an authenticator app',
  log_app_removed: '{actor} removed the authenticator app',
  log_recovery_codes: '{actor} made new recovery codes',
  log_recovery_code_used: 'logged in by a recovery code; {left} are left',
  log_passkey_added: '{actor} added the passkey "{name}"',
  log_passkey_removed: '{actor} removed the passkey "{name}"',
  log_passkey_counter: 'the passkey "{name}" was refused from {address}, because its counter did not grow: it may have been copied',
  log_session_ended: '{actor} ended a session that began at {address}',
  log_sessions_ended: '{actor} ended all other sessions ({count})',
  log_personal_token_made: '{actor} made the personal access token "{name}" with the scopes {scopes}',
  log_personal_token_removed: '{actor} removed the personal access token "{name}" of {user}',
  log_system_token_removed: '{actor} revoked the system access token of {user}',
  log_access_tokens_revoked: '{actor} revoked all access tokens of {user} ({count})',
} as const
