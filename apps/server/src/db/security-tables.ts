import type { Generated } from 'kysely'

export interface SessionTable {
  /** SHA-256 of the cookie. */
  id_hash: string
  user_id: number
  created_at: number
  seen_at: number
  user_agent: string
  address: string
  /** How its login was authenticated, as a comma list (`password,app`); empty in rows older than this column. */
  way: Generated<string>
}

/** The second factor of an account. No row = 2FA is off and nothing is set up. */
export interface SecondFactorTable {
  user_id: number
  is_on: Generated<number>
  /** The secret of the authenticator app; empty = none. */
  app_sealed: Generated<string>
  /** 1 once the app has shown that it knows the secret. */
  app_confirmed: Generated<number>
  /** Time step of the last accepted code, so that each code is accepted once. */
  app_step: Generated<number>
}

/** The link by which root logs in until it has a password. */
export interface SetupLinkTable {
  user_id: number
  /** SHA-256 of the secret. */
  secret_hash: string
  created_at: number
}

/** Facts about the installation; a missing row = it is not so. */
export interface InstallationMarkTable {
  name: 'older than host names'
}

/** Single-use codes that replace the second factor. */
export interface RecoveryCodeTable {
  user_id: number
  /** HMAC of the code. */
  code_lookup: string
}

/** A WebAuthn credential. */
export interface PasskeyTable {
  id: Generated<number>
  user_id: number
  /** Both in base64url. */
  credential_id: string
  public_key: string
  /** The authenticator's count of signatures at the last login; 0 = it does not count. */
  counter: Generated<number>
  /** The host name that it is valid for. */
  host: string
  name: string
  /** Comma-separated. */
  transports: string
  created_time: number
  used_time: Generated<number>
}

/** A personal access token. */
export interface AccessTokenTable {
  id: Generated<number>
  user_id: number
  /** HMAC of the token. */
  lookup: string
  name: string
  /** Comma-separated. */
  scopes: string
  created_time: number
  /** -1 = never. */
  expired_time: number
  used_time: Generated<number>
}
