using System.Diagnostics;
using NUnit.Framework;

namespace VectorPipe.Tests.Storage.Files;

/// <summary>A memory file system of a few pages, which a test can fill.</summary>
internal sealed class SmallDisk : IDisposable
{
    private SmallDisk(string path) => Path = path;

    public string Path { get; }

    /// <summary>Mounts one, or skips the test if this is not allowed.</summary>
    public static SmallDisk MountOrIgnore(string path, string size)
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
            Assert.Ignore("Only root on Linux can mount a small disk.");
        Directory.CreateDirectory(path);
        int exit = Run("mount", "-t", "tmpfs", "-o", $"size={size}", "tmpfs", path);
        if (exit != 0)
            Assert.Ignore($"No small disk can be mounted here (mount ended with {exit}).");
        return new SmallDisk(path);
    }

    public void Dispose() => Assert.That(Run("umount", Path), Is.Zero, "The small disk is still in use.");

    private static int Run(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardError = true };
        using Process process = Process.Start(start) ?? throw new InvalidOperationException($"{program} did not start.");
        process.StandardError.ReadToEnd();
        process.WaitForExit();
        return process.ExitCode;
    }
}
