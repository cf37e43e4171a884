using System.Diagnostics;

namespace VectorPipe.Storage.Files;

/// <summary>Renames a file in one step, and on Windows waits for those who have the replaced one open.</summary>
/// <remarks>
/// Windows may refuse to replace a file that is open, whatever its readers share: a manifest is open for as long as another process reads
/// it, and scanners open what is new.
/// </remarks>
internal static class PatientRename
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(1);

    /// <summary>Renames a file, replacing a file of the new name.</summary>
    public static void Move(string from, string to) => Move(
        from, to, OperatingSystem.IsWindows() ? _patience : TimeSpan.Zero,
        (source, target) => File.Move(source, target, overwrite: true));

    /// <summary>Renames a file by a call.</summary>
    /// <param name="from">The file.</param>
    /// <param name="to">Its new name.</param>
    /// <param name="patience">For how long to try again when the call is refused.</param>
    /// <param name="move">The call.</param>
    internal static void Move(string from, string to, TimeSpan patience, Action<string, string> move)
    {
        var wait = default(SpinWait);
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            try
            {
                move(from, to);
                return;
            }
            catch (Exception e) when (IsRefusal(e) && Stopwatch.GetElapsedTime(began) < patience)
            {
                wait.SpinOnce();
            }
        }
    }

    // What is not there will not come.
    private static bool IsRefusal(Exception e) =>
        e is UnauthorizedAccessException or (IOException and not FileNotFoundException and not DirectoryNotFoundException);
}
