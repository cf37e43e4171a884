namespace VectorPipe.Measuring;

/// <summary>The exit codes of the commands. Scripts depend on the numbers.</summary>
internal static class ExitCodes
{
    public const int Ok = 0;

    /// <summary>The index is damaged: verification found defects, or a search read a bad page.</summary>
    public const int FailedVerification = 1;

    /// <summary>The arguments, or the vectors or records in a file, are invalid.</summary>
    public const int BadInput = 2;

    public const int CannotReadOrWrite = 3;

    /// <summary>An unexpected error: a defect of the program.</summary>
    public const int Unexpected = 4;

    public const int KeyNotFound = 5;

    /// <summary>Stopped by Ctrl+C or SIGTERM.</summary>
    public const int Cancelled = 130;

    /// <summary>The codes as lines of the help text.</summary>
    public static IReadOnlyList<string> Descriptions { get; } =
    [
        "Exit codes:",
        $"  {Ok,3}  success",
        $"  {FailedVerification,3}  the index is damaged (verify found defects, or a search read a bad page)",
        $"  {BadInput,3}  invalid arguments, or invalid vectors or records in a file",
        $"  {CannotReadOrWrite,3}  a file, an index or a device cannot be found, read or written",
        $"  {Unexpected,3}  unexpected error",
        $"  {KeyNotFound,3}  a key is not in the index or the collection (get, query)",
        $"  {Cancelled,3}  cancelled (Ctrl+C, SIGTERM)",
    ];
}
