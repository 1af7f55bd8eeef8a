{
  description = "Adds animated reactions to hand gestures in videos";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
    in
    {
      packages.${system}.default = pkgs.stdenv.mkDerivation rec {
        pname = "flourish";
        version = "0.2.0";

        src = pkgs.fetchurl {
          url = "https://flourish.invalid/releases/flourish-${version}-linux-x86_64.tar.zst";
          sha256 = "0000000000000000000000000000000000000000000000000000000000000000";
        };

        nativeBuildInputs = [
          pkgs.patchelf
          pkgs.zstd
        ];

        # The libraries are stripped, and their checksums are in the SPDX list.
        dontStrip = true;
        dontPatchELF = true;

        installPhase = ''
          mkdir -p $out
          cp -R bin lib share $out/
          rm $out/share/flourish/install.sh
          patchelf --set-interpreter "$(cat $NIX_CC/nix-support/dynamic-linker)" $out/bin/flourish
        '';

        meta = {
          description = "Adds animated reactions to hand gestures in videos";
          license = [
            pkgs.lib.licenses.asl20
            pkgs.lib.licenses.gpl3Plus
          ];
          platforms = [ system ];
          mainProgram = "flourish";
          sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
        };
      };
    };
}
