/** How accounts are protected: second factors, passkeys, sessions and access tokens. In English. */
export const securityEn = {
  host_unknown:
    'This server does not serve the host name "{host}". Open it at its configured address, or add the name to the environment variable ALLOWED_HOSTS.',
  default_password_refused:
    'This account still has the default password, which is not accepted here. Set a new one on the server: admin reset-password {username}',
  log_default_password: 'The account {username} still has the default password 123456. Change it now.',
  log_default_password_refused:
    'The account {username} still has the default password 123456, which is no longer accepted. Set a new one: {admin} reset-password {username}',
  log_setup_pending:
    'The root account has no password yet. Open the setup link in {file} on the server that created it, or print a new one: {admin} setup-link',
  log_any_host:
    'The management API responds at every host name. Set ServerAddress in the settings or ALLOWED_HOSTS to the names that you use.',
  scope_missing: 'This access token does not have the scope {scope}',
  reauthentication_with_factor_required:
    'Log in again and repeat this within 10 minutes. With two-factor authentication, the password alone is not enough.',
  two_factor_login_required:
    'The password is correct, but this account uses two-factor authentication, which this client does not support. Log in to the console, or use an access token.',
  two_factor_login_expired: 'This login attempt has expired or failed too often. Start again.',
  second_factor_required: 'Administrators of this server must use two-factor authentication. Set it up in Settings > Security first.',
  second_factor_missing: 'Set up an authenticator app or a passkey first',
  authenticator_already_set_up: 'An authenticator app is already set up. Remove it first.',
  second_factor_unreadable:
    'Codes cannot be verified: the secret of the authenticator app cannot be decrypted with the current master key. Log in with a passkey, or ask an administrator to reset your two-factor authentication.',
  authenticator_setup_not_started: 'Start the setup of the authenticator app again',
  passkey_rejected: 'The passkey was rejected. Try again.',
  passkey_unknown: 'Unknown passkey',
  passkey_unverified: 'The passkey did not verify your identity. Log in with your password and use the passkey as the second factor.',
  passkey_already_registered: 'This passkey is already registered',
  passkey_counter: 'This passkey may have been copied and was rejected. Log in another way and remove it.',
  passkey_host: 'Passkeys are not available at this address. Open the console by its host name over HTTPS.',
  passkeys_too_many: 'You can have at most {max} passkeys',
  access_tokens_too_many: 'You can have at most {max} personal access tokens',
  tokens_too_many: 'You can have at most {max} tokens. Delete tokens that you do not use.',
  username_invalid: 'This username is not allowed. Choose another.',
  password_common: 'This password is too common. Choose another.',
  no_such_session: 'Session not found',
  no_such_passkey: 'Passkey not found',
  no_such_access_token: 'Personal access token not found',
  log_second_step_failed: 'failed two-factor authentication from {address}',
  log_second_factor_on: '{actor} enabled two-factor authentication',
  log_second_factor_off: '{actor} disabled two-factor authentication of {user}',
  log_second_factor_cleared: '{actor} removed all second factors and passkeys of {user}',
  log_app_added: '{actor} set up an authenticator app',
  log_app_removed: '{actor} removed the authenticator app',
  log_recovery_codes: '{actor} generated new recovery codes',
  log_recovery_code_used: 'logged in with a recovery code; {left} left',
  log_passkey_added: '{actor} added the passkey "{name}"',
  log_passkey_removed: '{actor} removed the passkey "{name}"',
  log_passkey_counter: 'the passkey "{name}" was rejected from {address}: its counter did not increase, so it may have been copied',
  log_session_ended: '{actor} ended a session started from {address}',
  log_sessions_ended: '{actor} ended all other sessions ({count})',
  log_personal_token_made: '{actor} created the personal access token "{name}" with the scopes {scopes}',
  log_personal_token_removed: '{actor} removed the personal access token "{name}" of {user}',
  log_system_token_removed: '{actor} revoked the system access token of {user}',
  log_access_tokens_revoked: '{actor} revoked all access tokens of {user} ({count})',
} as const
