"""The one error of the settings."""


class SettingsError(ValueError):
    """A setting that cannot be used. Its text is one sentence: which variable, what is wrong, what to write.

    It never holds a password.
    """
