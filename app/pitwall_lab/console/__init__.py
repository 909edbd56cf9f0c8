"""The GSM lab: modules, their versions, their training, and changes to rewards and rules."""
