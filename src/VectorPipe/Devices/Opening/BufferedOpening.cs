namespace VectorPipe.Devices.Opening;

/// <summary>Opens files where no way past the page cache is known.</summary>
internal sealed class BufferedOpening : IFileOpening
{
    public OpenedFile Open(string path) => new(
        FileOpening.OpenShared(path, FileOptions.RandomAccess), Alignment: 1, "no way past it is known on this operating system");
}
