using VectorPipe.Server.Access;

namespace VectorPipe.Server.Commands;

/// <summary>A command or a subcommand that rules can name.</summary>
/// <param name="Number">Its number, from 0 on.</param>
/// <param name="Name">Its name; of a subcommand <c>command|subcommand</c>.</param>
/// <param name="Categories">What it is about.</param>
internal sealed record CommandNumber(int Number, string Name, AccessCategory Categories);
