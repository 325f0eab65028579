"""The session log: envelope, tree, checkpoint, stores, blobs."""
