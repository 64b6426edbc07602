"""One reply after the other is lost, for every kind of client, and every job is accounted for afterwards."""
