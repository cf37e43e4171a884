namespace VectorPipe.Server.Access;

/// <summary>Sets by a pattern of their names, and what a user may do with them.</summary>
internal sealed record KeyPattern(string Pattern, bool MayRead, bool MayWrite)
{
    public override string ToString() => (MayRead, MayWrite) switch
    {
        (true, true) => "~" + Pattern,
        (true, false) => "%R~" + Pattern,
        _ => "%W~" + Pattern,
    };
}
