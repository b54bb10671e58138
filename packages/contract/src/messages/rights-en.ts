/** Messages about what only root may do or allow, and about who may log in. `{name}` is filled in. */
export const rightsEn = {
  base_url_private:
    '{host} is in a private network. A super admin can add it to the allowed private hosts in Settings > System > Private upstreams',
  service_address_private:
    '{service} is in a private network. A super admin can add its host to the allowed private hosts in Settings > System > Private upstreams',
  proxy_private:
    'The proxy {host} is in a private network. A super admin can add it to the allowed private hosts in Settings > System > Private upstreams',
  option_needs_own_factor: 'Set up a second factor of your own first, or ask a super admin: {name} would shut you and others out',
  raw_proxy_needs_root: 'Only a super admin can create, change, enable or test channels of the type Proxy',
  raw_proxy_rules_required: 'Enter the methods and the beginnings of paths that this proxy forwards; / stands for all paths',
  raw_proxy_refused: 'This proxy does not forward {method} requests to this path',
  oauth_register_disabled:
    'No account is linked to this {service} login, and {service} creates none here. Log in another way and link {service} in your settings, or ask an administrator for an account',
  oauth_mail_not_allowed:
    'Your {service} login has no verified e-mail address of a domain that is allowed here. Use another account at {service}, or ask an administrator',
  oauth_domain_not_allowed:
    'Your {service} account is not in an organization that is allowed here. Use your work account, or ask an administrator',
  oauth_organization_not_allowed:
    'Your {service} account is in none of the organizations that are allowed here, or {service} does not show that it is. Ask an administrator',
  server_address_missing:
    'Login by {service} does not work yet: the address of this server is not set, so {service} could not send you back. Ask an administrator to set ServerAddress',
  oauth_group_not_allowed: 'Your {service} account is in none of the groups that are allowed here. Ask an administrator',
  log_private_upstreams:
    'There are several administrators: channels may reach only listed private hosts. {count} hosts of existing channels were put on the list: {hosts}. Not listed, because the list is full: {left}',
  log_option_proposed: '{actor} proposed a value of the option {key}, pending super admin approval',
  log_option_rejected: '{actor} rejected the proposed value of the option {key}',
  log_options_confirmed: '{actor} confirmed the options {keys}',
  log_options_waiting: 'Options wait for a super admin to confirm them: {keys}',
  option_pending: 'Saved as a proposal. The current value stays in force until a super admin approves the new one',
} as const
