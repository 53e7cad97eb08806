"""The invented world: prose, records and facts written from a stream, so that nothing has to be downloaded."""
