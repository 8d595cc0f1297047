"""Code that several test files share. Test files never import each other."""
