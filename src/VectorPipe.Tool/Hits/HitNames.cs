namespace VectorPipe.Tool.Hits;

/// <summary>Names of what each hit has, in tables, lines and files of columns.</summary>
internal static class HitNames
{
    public const string Query = "query", Rank = "rank", Key = "key", Score = "score";

    public static IReadOnlyList<string> All { get; } = [Query, Rank, Key, Score];
}
