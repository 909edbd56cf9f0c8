"""The GSM lab: modules, their versions, how they train, and changes to rewards and rules."""
