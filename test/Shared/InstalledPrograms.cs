using NUnit.Framework;

namespace VectorPipe.TestHost;

/// <summary>Programs that tests use where they are installed.</summary>
internal static class InstalledPrograms
{
    /// <summary>The path of the first of some programs that is on the PATH; without one, the test is ignored.</summary>
    public static string RequireOne(params string[] names)
    {
        string? found = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .SelectMany(folder => names, (folder, name) => Path.Combine(folder, OperatingSystem.IsWindows() ? name + ".exe" : name))
            .FirstOrDefault(File.Exists);
        if (found is null)
            Assert.Ignore($"expected one of {string.Join(", ", names)} on the PATH, found none");
        return found!;
    }
}
