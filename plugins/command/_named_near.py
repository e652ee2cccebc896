"""A group of commands that names what a wrong name is near to."""

import difflib

import click


class NamedNear(click.Group):
    """A group, whose groups are of its kind; newer releases of click name near commands themselves."""

    group_class = type

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is meant.

        Raises:
            click.UsageError: If there is none of the name; says which are near.
        """
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx))
            if near and "Did you mean" not in error.message:
                error.message += f" Did you mean {' or '.join(near)}?"
            raise
