using System.Text;
using VectorPipe.Server.Commands;

namespace VectorPipe.Server.Access;

/// <summary>Sets by a pattern of their names, and what a user may do with them.</summary>
internal sealed record KeyPattern(string Pattern, bool MayRead, bool MayWrite)
{
    // Of bytes, as names of sets are: a byte a character.
    private readonly string _bytes = Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(Pattern));

    /// <summary>Whether it is a pattern of a set.</summary>
    /// <param name="set">The name of the set, a byte a character.</param>
    public bool Matches(string set) => Glob.Matches(_bytes, set);

    public override string ToString() => (MayRead, MayWrite) switch
    {
        (true, true) => "~" + Pattern,
        (true, false) => "%R~" + Pattern,
        _ => "%W~" + Pattern,
    };
}
