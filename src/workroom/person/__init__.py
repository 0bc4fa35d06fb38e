"""What only a person may do; callable only with a PersonCredential."""
