namespace VectorPipe.Measuring;

/// <summary>What the process returns to the shell. Part of the command's interface: scripts depend on the numbers.</summary>
internal static class ExitCodes
{
    /// <summary>All went well.</summary>
    public const int Ok = 0;

    /// <summary>An index is damaged: its verification found defects, or a search met a bad page.</summary>
    public const int FailedVerification = 1;

    /// <summary>The arguments, or the vectors in a file, are not what they should be.</summary>
    public const int BadInput = 2;

    /// <summary>A file, an index or a device could not be found, read or written.</summary>
    public const int CannotReadOrWrite = 3;

    /// <summary>An error that nobody expected: a defect of the program.</summary>
    public const int Unexpected = 4;

    /// <summary>A key that was asked for is not in the index.</summary>
    public const int KeyNotFound = 5;

    /// <summary>Stopped by Ctrl+C or SIGTERM.</summary>
    public const int Cancelled = 130;

    /// <summary>The codes in words, a line each, for the help text.</summary>
    public static IReadOnlyList<string> Descriptions { get; } =
    [
        "Exit codes:",
        $"  {Ok,3}  success",
        $"  {FailedVerification,3}  the index is damaged (verify found defects, or a search met a bad page)",
        $"  {BadInput,3}  bad arguments, or bad vectors in a file",
        $"  {CannotReadOrWrite,3}  a file, an index or a device cannot be found, read or written",
        $"  {Unexpected,3}  unexpected error",
        $"  {KeyNotFound,3}  a key is not in the index (get)",
        $"  {Cancelled,3}  cancelled (Ctrl+C, SIGTERM)",
    ];
}
