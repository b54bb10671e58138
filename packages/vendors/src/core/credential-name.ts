/** The names of the credentials in `credentials.ts`. Records name them, so that the console, which reads records too, does not load the code. */
export type CredentialName = 'azure-entra' | 'baidu-token' | 'google-service-account'
